"""The process that the server talks to: JSON-RPC in, reports out (docs/agent.md).

Runs in the user's Python on nothing but triton and the standard library. It may not import, run or
evaluate anything of the user's, and may not raise to the server: it reports.
"""
