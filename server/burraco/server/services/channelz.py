"""Channelz: the connections of this process as gRPC itself counts them."""

from collections.abc import Callable
from typing import Any, TypeVar

from google.protobuf import json_format
from google.protobuf.message import Message
from grpc._cython import cygrpc  # type: ignore[attr-defined]  # where grpcio-channelz asks too
from grpc_channelz.v1 import channelz_pb2 as pb
from grpc_channelz.v1 import channelz_pb2_grpc

from burraco.server.errors import invalid

M = TypeVar("M", bound=Message)


class Channelz(channelz_pb2_grpc.ChannelzServicer):
    """The service of grpcio-channelz, at ease with facts that are newer than its messages."""

    async def GetTopChannels(self, request: pb.GetTopChannelsRequest, context: Any) -> Message:  # noqa: ANN401
        """List the channels of this process."""
        return _read(pb.GetTopChannelsResponse(), cygrpc.channelz_get_top_channels)(
            request.start_channel_id
        )

    async def GetServers(self, request: pb.GetServersRequest, context: Any) -> Message:  # noqa: ANN401
        """List its servers."""
        return _read(pb.GetServersResponse(), cygrpc.channelz_get_servers)(request.start_server_id)

    async def GetServer(self, request: pb.GetServerRequest, context: Any) -> Message:  # noqa: ANN401
        """Show a server."""
        return _read(pb.GetServerResponse(), cygrpc.channelz_get_server)(request.server_id)

    async def GetServerSockets(self, request: pb.GetServerSocketsRequest, context: Any) -> Message:  # noqa: ANN401
        """List the connections of a server."""
        return _read(pb.GetServerSocketsResponse(), cygrpc.channelz_get_server_sockets)(
            request.server_id, request.start_socket_id, request.max_results
        )

    async def GetChannel(self, request: pb.GetChannelRequest, context: Any) -> Message:  # noqa: ANN401
        """Show a channel."""
        return _read(pb.GetChannelResponse(), cygrpc.channelz_get_channel)(request.channel_id)

    async def GetSubchannel(self, request: pb.GetSubchannelRequest, context: Any) -> Message:  # noqa: ANN401
        """Show a part of a channel."""
        return _read(pb.GetSubchannelResponse(), cygrpc.channelz_get_subchannel)(
            request.subchannel_id
        )

    async def GetSocket(self, request: pb.GetSocketRequest, context: Any) -> Message:  # noqa: ANN401
        """Show a connection."""
        return _read(pb.GetSocketResponse(), cygrpc.channelz_get_socket)(request.socket_id)


def _read(answer: M, ask: Callable[..., bytes]) -> Callable[..., M]:
    def asked(*ids: int) -> M:
        try:
            found = ask(*ids)
        except (ValueError, OverflowError):
            raise invalid("id", "nothing has it: ids come from the lists of this service") from None
        return json_format.Parse(found, answer, ignore_unknown_fields=True)

    return asked
