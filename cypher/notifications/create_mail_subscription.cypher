// Creates a mail subscription of a person, unless the person has as many as are allowed. The person is locked before they
// are counted. The subscription begins after the events whose notifications are written.
MATCH (person:Entity {id: $userId})
SET person.entityType = person.entityType
WITH person, COUNT { (person)-[:HAS_MAIL_SUBSCRIPTION]->(:MailSubscription) } AS total
MATCH (progress:Progress {name: $progress})
WITH person, total, progress
WHERE total < toInteger($most)
CREATE (person)-[:HAS_MAIL_SUBSCRIPTION]->(subscription:MailSubscription)
SET subscription += $values, subscription.userId = $userId, subscription.seq = progress.seq, subscription.mails = 0
RETURN subscription{.*, userName: person.name} AS node
