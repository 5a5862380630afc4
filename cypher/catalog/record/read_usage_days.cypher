// Returns the days between two dates on which records were used, with their counts.
UNWIND $rows AS row
MATCH (day:UsageDay)
WHERE day.key >= row.id + ' ' + row.from AND day.key <= row.id + ' ' + row.to
RETURN row.at AS at, day{.date, .count, .dailyRank, .weeklyRank, .monthlyRank} AS day
