// Lists all subscriptions with the values that change with their state, in the order of their public list.
MATCH (subscription:Entity)
USING INDEX SEEK subscription:Entity(entityType, deleted, sortKey)
WHERE subscription.entityType = 'eventsubscription' AND subscription.deleted = false AND subscription.sortKey > $edge
WITH subscription ORDER BY subscription.entityType, subscription.deleted, subscription.sortKey
LIMIT toInteger($limit)
RETURN subscription.id AS id, subscription.version AS version, subscription.updatedAt AS updatedAt, subscription.sortKey AS sortKey
