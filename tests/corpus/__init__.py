"""The literate cases and what checks them: pages, claims, the agent's answers, truth by execution."""
