// Lists a page of the event subscriptions whose mails a person has ended, in the order of their ids.
MATCH (:Entity {id: $userId})-[optOut:OPTED_OUT_OF]->(subscription:Entity)
WHERE subscription.id > $edge
RETURN subscription.id AS id, subscription.name AS name, optOut.createdAt AS createdAt
ORDER BY id
LIMIT toInteger($limit)
