// Answers whether anybody wants to hear of what their own records are made from.
MATCH (:NotificationPreferences {wantsDownstream: true})
RETURN true AS isWanted
LIMIT 1
