// Stores that a person has ended the mails of an event subscription to them. The person is locked first, so that there is
// never more than one such edge.
MATCH (person:Entity {id: $userId})
MATCH (subscription:Entity {id: $subscriptionId})
WHERE person:User AND subscription:EventSubscription
SET person.entityType = person.entityType
MERGE (person)-[optOut:OPTED_OUT_OF]->(subscription)
ON CREATE SET optOut.createdAt = timestamp()
RETURN subscription.id AS id
