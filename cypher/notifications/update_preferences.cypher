// Stores the notification preferences of a user. The user is locked first, so that there is never more than one such
// node.
MATCH (person:Entity {id: $userId})
SET person.entityType = person.entityType
MERGE (person)-[:HAS_PREFERENCES]->(wish:NotificationPreferences)
SET wish += $wishes, wish.wantsDownstream = CASE WHEN 'downstream' IN $wishes.reasons THEN true END
RETURN wish.enabled AS enabled, wish.reasons AS reasons, wish.eventTypes AS eventTypes, wish.includeDescendants AS includeDescendants
