"""Refusals of the server as statuses: canonical code, words, and google.rpc.ErrorInfo."""

from typing import Any, NoReturn

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

from burraco.server.errors import DOMAIN, ArenaError

_DETAILS = "grpc-status-details-bin"


async def refuse(context: Any, error: ArenaError) -> NoReturn:  # noqa: ANN401 - a context
    """End a call with the status of a refusal."""
    code = grpc.StatusCode[error.code]
    facts = error_details_pb2.ErrorInfo(
        reason=error.complaint.value, domain=DOMAIN, metadata=error.facts
    )
    detail = any_pb2.Any()
    detail.Pack(facts)
    status = status_pb2.Status(code=code.value[0], message=error.message, details=[detail])
    await context.abort(code, error.message, ((_DETAILS, status.SerializeToString()),))
    raise AssertionError("abort always raises")
