// Marks the mail subscriptions of people who have new notifications as due: now, or when the time since their last mail is
// over. The lock comes before the check, so that a mailer that finds nothing new at the same time unmarks none of them.
UNWIND $userIds AS userId
MATCH (subscription:MailSubscription {userId: userId})
SET subscription.touchedAt = timestamp()
WITH subscription
WHERE subscription.dueAt IS NULL
SET subscription.dueAt = CASE
  WHEN subscription.notBefore > timestamp() THEN subscription.notBefore ELSE timestamp() END
RETURN count(subscription) AS marked
