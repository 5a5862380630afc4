// Reads the name of an event subscription, and whether a person has ended its mails to them.
MATCH (person:Entity {id: $userId})
MATCH (subscription:Entity {id: $subscriptionId})
WHERE person:User AND subscription:EventSubscription
RETURN subscription.name AS name, EXISTS { (person)-[:OPTED_OUT_OF]->(subscription) } AS isOptedOut
