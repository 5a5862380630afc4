// Lists all subscriptions with what tells their states apart, in the order in which they are listed to people.
MATCH (subscription:EventSubscription)
WHERE subscription.deleted = false AND subscription.sortKey > $edge
WITH subscription ORDER BY subscription.deleted, subscription.sortKey
LIMIT toInteger($limit)
RETURN subscription.id AS id, subscription.version AS version, subscription.updatedAt AS updatedAt, subscription.sortKey AS sortKey
