// Mail subscriptions with something to mail are found by the time at which that is due.
CREATE INDEX MailSubscription_due IF NOT EXISTS FOR (n:MailSubscription) ON (n.dueAt)
