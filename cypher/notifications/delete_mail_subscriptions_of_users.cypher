// Ends the mail subscriptions of people.
UNWIND $userIds AS userId
MATCH (subscription:MailSubscription {userId: userId})
DETACH DELETE subscription
RETURN count(*) AS removed
