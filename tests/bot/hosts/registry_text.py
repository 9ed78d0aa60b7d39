"""A whole registry as a person writes it. Not a test."""

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0mIk6n3yqvhRFFvV1BxTkqHgq2cN3p4xQd8gC5H6kL"

WHOLE = f"""\
version: 1
access:
  persons:
    ada: [slack:T1:U1, os:ada]
  roles:
    oncall: [discord:G1:role:R2, os:ada]
    lead: [discord:G1:role:R1]
  grants:
    - {{role: oncall, may: [view, request, cancel], host_groups: [lab]}}
    - {{role: lead, may: [view, approve, reject], host_groups: [lab, production]}}
jumps:
  - {{name: bastion, address: 192.0.2.1, user: jump, host_keys: ["{KEY}"]}}
hosts:
  - name: gpu1
    group: lab
    owner: platform team
    expires: 2027-06-30
    ssh:
      address: gpu1.example.org
      user: vllm-diagnose
      host_keys: ["{KEY}"]
    key_file: /etc/vllm-diagnose/id_ed25519
    jump: [bastion]
    servers:
      - name: qwen3-vl
        driver: systemd
        port: 8000
        model: Qwen/Qwen3-VL-8B-Instruct
        gpus: [GPU-1]
        gpu_name: H100
        expected_start_seconds: 240
        probe: vision
        operations: [relaunch, fetch]
        approvers: [lead]
        approvals_needed: 2
        channels: [slack:T1:C1, console:incidents]
        maintenance:
          - {{days: [sat], begins: "22:00", ends: "02:00", timezone: Europe/Berlin}}
  - name: here
    group: lab
    owner: ada
    transport: local
    helper: [python3, /opt/helper.pyz, serve-request]
    servers:
      - {{name: tiny, driver: process, port: 8001, model: tiny, expected_start_seconds: 30}}
"""
