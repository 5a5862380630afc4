// Lists, by key, the records of one kind with usage on a date, each with the sums of the week and month that end there
// and its ranks.
MATCH (day:UsageDay)
USING INDEX SEEK day:UsageDay(entityType, date, key)
WHERE day.entityType = $entityType AND day.date = $date AND day.key > $edge
WITH day ORDER BY day.entityType, day.date, day.key
LIMIT toInteger($limit)
CALL (day) {
  MATCH (near:UsageDay)
  WHERE near.key >= day.ownerId + ' ' + $month AND near.key <= day.key
  RETURN sum(CASE WHEN near.date >= $week THEN near.count ELSE 0 END) AS weekly, sum(near.count) AS monthly
}
RETURN day.ownerId AS id, day.key AS key, day.count AS daily, weekly, monthly,
  [day.dailyRank, day.weeklyRank, day.monthlyRank] AS ranks
