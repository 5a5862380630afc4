// Lets an event subscription mail a person again who had ended its mails.
MATCH (:Entity {id: $userId})-[optOut:OPTED_OUT_OF]->(subscription:Entity {id: $subscriptionId})
WITH optOut, subscription, optOut.createdAt AS createdAt
DELETE optOut
RETURN subscription.id AS id, subscription.name AS name, createdAt
