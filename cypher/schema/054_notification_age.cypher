// Notifications are forgotten by age, whosever they are.
CREATE INDEX Notification_age IF NOT EXISTS FOR (n:Notification) ON (n.place)
