-- Live events that are too large for a notification, on their way from one process to the others; swept after 30 s.
-- Only the owner role sees it: the rows belong to all companies. What is lost in a crash was lost for sockets anyway.
CREATE UNLOGGED TABLE socket_attachments (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  created_at timestamptz NOT NULL DEFAULT now(),
  payload bytea NOT NULL
);
