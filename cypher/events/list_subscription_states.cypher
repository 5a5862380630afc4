// Lists all subscriptions with the values that change with their state, in the order of their public list.
MATCH (subscription:EventSubscription)
WHERE subscription.deleted = false AND subscription.sortKey > $edge
WITH subscription ORDER BY subscription.deleted, subscription.sortKey
LIMIT toInteger($limit)
RETURN subscription.id AS id, subscription.version AS version, subscription.updatedAt AS updatedAt, subscription.sortKey AS sortKey
