// Lists the mail subscriptions of a person, which are few, the oldest first.
MATCH (person:Entity {id: $userId})-[:HAS_MAIL_SUBSCRIPTION]->(subscription:MailSubscription)
RETURN subscription{.*, userName: person.name} AS node
ORDER BY subscription.createdAt, subscription.id
