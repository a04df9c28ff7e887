"""The file broker for Python programs: `Broker(workspace).execute_tool(request)`."""

from penstock.doors.broker.service import Broker, Role

__all__ = ["Broker", "Role"]
