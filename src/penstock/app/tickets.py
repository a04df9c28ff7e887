"""Tickets that an agent has not heard of yet, for the hook's engine and its HTTP endpoint."""

from penstock.stores.queue.tickets import (
    LOOK_ALWAYS,
    Ticket,
    add,
    looks,
    mark,
    settle,
    take,
    tickets,
    tidy,
)

__all__ = ["LOOK_ALWAYS", "Ticket", "add", "looks", "mark", "settle", "take", "tickets", "tidy"]
