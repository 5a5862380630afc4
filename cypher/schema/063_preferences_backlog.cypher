// Preferences kept before it was looked up by itself say once more who wants to hear of what their own records are made from.
MATCH (wish:NotificationPreferences)
WHERE 'downstream' IN wish.reasons AND wish.wantsDownstream IS NULL
CALL (wish) {
  SET wish.wantsDownstream = true
} IN TRANSACTIONS OF 1000 ROWS
