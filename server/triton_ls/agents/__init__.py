"""The agent processes: find and start one, talk to it, kill it.

Knows the agent's protocol (docs/agent.md), never LSP; which job runs where is the scheduler's business.
"""
