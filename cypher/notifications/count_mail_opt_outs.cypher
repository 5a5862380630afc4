// Counts the event subscriptions whose mails a person has ended.
MATCH (person:Entity {id: $userId})
RETURN COUNT { (person)-[:OPTED_OUT_OF]->() } AS total
