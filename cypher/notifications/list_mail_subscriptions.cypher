// Lists a page of the mail subscriptions of all people in the order of their ids.
MATCH (subscription:MailSubscription)
WHERE subscription.id > $edge
WITH subscription ORDER BY subscription.id
LIMIT toInteger($limit)
MATCH (person:Entity)-[:HAS_MAIL_SUBSCRIPTION]->(subscription)
RETURN subscription{.*, userName: person.name} AS node
ORDER BY subscription.id
