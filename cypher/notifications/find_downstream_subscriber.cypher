// Answers whether any user wants notifications about upstream records.
MATCH (:NotificationPreferences {wantsDownstream: true})
RETURN true AS isWanted
LIMIT 1
