// What somebody was told is listed by time.
CREATE INDEX Notification_place IF NOT EXISTS FOR (n:Notification) ON (n.userId, n.place)
