// Answers how somebody wants to be told, where they have said so.
MATCH (:Entity {id: $userId})-[:PREFERS]->(wish:NotificationPreferences)
RETURN wish.enabled AS enabled, wish.reasons AS reasons, wish.eventTypes AS eventTypes, wish.includeDescendants AS includeDescendants
