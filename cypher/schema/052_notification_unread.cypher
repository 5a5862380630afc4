// What somebody has not read has its place twice, and is listed by the second one.
CREATE INDEX Notification_unread IF NOT EXISTS FOR (n:Notification) ON (n.userId, n.unread)
