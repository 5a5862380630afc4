// Reads the notification preferences of a user, if any are stored.
MATCH (:Entity {id: $userId})-[:HAS_PREFERENCES]->(wish:NotificationPreferences)
RETURN wish.enabled AS enabled, wish.reasons AS reasons, wish.eventTypes AS eventTypes, wish.includeDescendants AS includeDescendants
