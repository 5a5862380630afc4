// Changes what a mail subscription of a person mails, and how often.
MATCH (person:Entity {id: $userId})-[:HAS_MAIL_SUBSCRIPTION]->(subscription:MailSubscription {id: $id})
SET subscription += $values
RETURN subscription{.*, userName: person.name} AS node
