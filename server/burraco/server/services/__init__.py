"""The gRPC services: they decode, ask the tables, and encode; they decide nothing."""
