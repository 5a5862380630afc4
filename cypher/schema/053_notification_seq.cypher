// Whoever listens is told by the numbers of events.
CREATE INDEX Notification_seq IF NOT EXISTS FOR (n:Notification) ON (n.userId, n.seq)
