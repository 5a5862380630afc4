// Ends a mail subscription.
MATCH (subscription:MailSubscription {id: $id})
DETACH DELETE subscription
RETURN count(*) AS removed
