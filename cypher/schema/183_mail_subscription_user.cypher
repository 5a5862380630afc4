// The mail subscriptions of a person are found by the person's id.
CREATE INDEX MailSubscription_user IF NOT EXISTS FOR (n:MailSubscription) ON (n.userId)
