// Reads a mail subscription with the name of its person.
MATCH (person:Entity)-[:HAS_MAIL_SUBSCRIPTION]->(subscription:MailSubscription {id: $id})
RETURN subscription{.*, userName: person.name} AS node
