"""Holds every request to what its fields may hold, before a service sees it."""

from typing import Any, Final

from burraco.server.fields import check
from burraco.server.interceptors.handlers import (
    Continuation,
    Details,
    Handler,
    Interceptor,
    behaviour_of,
    rewrapped,
)

_OURS: Final = "/burraco.v1."


class Checking(Interceptor):
    """Stands innermost: nobody learns what is wrong with a request who may not make it.

    Frames of a stream are checked where they are read, since a bad one does not end it.
    """

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: Details
    ) -> Handler:
        """Wrap what will handle the call."""
        handler = await continuation(handler_call_details)
        is_ours = handler_call_details.method.startswith(_OURS)
        if handler is None or not is_ours or handler.request_streaming:
            return handler
        behaviour = behaviour_of(handler)

        async def checked(request: Any, context: Any) -> Any:  # noqa: ANN401 - of any method
            check(request)
            return await behaviour(request, context)

        return rewrapped(handler, checked)
