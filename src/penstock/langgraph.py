"""`penstock.langgraph`: the LangGraph door under the name that graphs import."""
