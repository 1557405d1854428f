"""Refusals of the server as statuses: canonical code, words, google.rpc.ErrorInfo.

A refusal that will pass by itself says in RetryInfo after how many milliseconds.
"""

from typing import Any, NoReturn

import grpc
from google.protobuf import any_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from burraco.server.errors import DOMAIN, ArenaError

_DETAILS = "grpc-status-details-bin"


async def refuse(context: Any, error: ArenaError) -> NoReturn:  # noqa: ANN401 - a context
    """End a call with the status of a refusal."""
    code = grpc.StatusCode[error.code]
    facts = error_details_pb2.ErrorInfo(
        reason=error.complaint.value, domain=DOMAIN, metadata=error.facts
    )
    details = [_packed(facts)]
    if error.retry_ms is not None:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromMilliseconds(error.retry_ms)
        details.append(_packed(retry))
    status = status_pb2.Status(code=code.value[0], message=error.message, details=details)
    await context.abort(code, error.message, ((_DETAILS, status.SerializeToString()),))
    raise AssertionError("abort always raises")


def _packed(message: Message) -> any_pb2.Any:
    detail = any_pb2.Any()
    detail.Pack(message)
    return detail
