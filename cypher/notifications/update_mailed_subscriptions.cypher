// Stores what became of the mails of subscriptions, and when their next mails are due: at the next attempt, or after the
// pause if there are notifications that they have not considered. The lock comes before that check.
UNWIND $rows AS row
MATCH (subscription:MailSubscription {id: row.id})
SET subscription.touchedAt = timestamp()
WITH row, subscription
SET subscription += row.changes,
  subscription.mails = subscription.mails + row.mails,
  subscription.notBefore = CASE
    WHEN row.mails > 0 THEN timestamp() + subscription.pollInterval * 1000 ELSE subscription.notBefore END
WITH row, subscription
SET subscription.dueAt = CASE
  WHEN row.retryMs IS NOT NULL THEN timestamp() + row.retryMs
  WHEN EXISTS {
    MATCH (note:Notification)
    WHERE note.userId = subscription.userId AND note.seq > subscription.seq
  } THEN CASE WHEN subscription.notBefore > timestamp() THEN subscription.notBefore ELSE timestamp() END
END
RETURN row.at AS at
