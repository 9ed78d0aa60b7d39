"""The journal: everything the bot was asked to do on hosts, decided and did, in a chain that shows tampering."""
