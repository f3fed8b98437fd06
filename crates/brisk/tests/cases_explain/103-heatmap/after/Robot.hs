module Robot (Pos, walk) where

type Pos = (Int, Int)

-- | The cells a cleaning robot visits in a room of the given size.
walk :: (Int, Int) -> Int -> [Pos]
walk (w, h) n = take n (map fst (iterate move ((w `div` 2, h `div` 2), 4711)))
  where
    move ((x, y), seed) =
      let seed' = (seed * 6364136223846793005 + 1442695040888963407) `mod` 9223372036854775783 :: Int
          (dx, dy) = case (seed' `div` 1024) `mod` 4 of
            0 -> (1, 0)
            1 -> (-1, 0)
            2 -> (0, 1)
            _ -> (0, -1)
      in ((clamp w (x + dx), clamp h (y + dy)), seed')
    clamp m = max 0 . min (m - 1)
