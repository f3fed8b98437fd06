module Currency (Rate (..), RateTable, rateTable, convert) where

import qualified Data.Map.Strict as M

data Rate = Rate { rateCode :: String, perMille :: !Int }

newtype RateTable = RateTable (M.Map String Int)

rateTable :: [Rate] -> RateTable
rateTable rates = RateTable (M.fromList [ (rateCode r, perMille r) | r <- rates ])

-- | Convert an amount of a foreign currency into house currency.
convert :: RateTable -> String -> Int -> Either String Int
convert (RateTable table) code cents
  | cents < 0 = Left ("negative amount in " ++ code)
  | otherwise = case M.lookup code table of
      Nothing -> Left ("no rate for " ++ code)
      Just r
        | r == 0 -> Left ("rate withdrawn: " ++ code)
        | otherwise -> Right (rounded (cents * r))
  where
    rounded x = let (q, m) = x `divMod` 1000 in if m >= 500 then q + 1 else q
