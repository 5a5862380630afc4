// Lists mail subscriptions that are due, the longest due first, with their people and the number of the event up to which
// all notifications are written.
MATCH (progress:Progress {name: $progress})
WITH progress.seq AS head
MATCH (subscription:MailSubscription)
WHERE subscription.dueAt <= timestamp()
WITH head, subscription ORDER BY subscription.dueAt
LIMIT toInteger($limit)
OPTIONAL MATCH (person:User)-[:HAS_MAIL_SUBSCRIPTION]->(subscription)
RETURN subscription{.*, userName: person.name} AS node, head, person.email AS email,
  coalesce(NOT person.deleted AND NOT coalesce(person.isBot, false) AND person.email IS NOT NULL, false) AS isReachable
