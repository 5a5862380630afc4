// Counts the mail subscriptions of all people.
MATCH (subscription:MailSubscription)
RETURN count(subscription) AS total
