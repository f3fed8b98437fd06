module Prefixes (Zone (..), zones, zoneOf) where

import qualified Data.Map.Strict as Map

data Zone = Zone
  { zoneName :: String
  , tariff :: !Int
  }

-- | The tariff sheet: number prefixes with their zones.
zones :: Int -> [(String, Zone)]
zones n =
  [ (show prefix, Zone ("Z" ++ show (k `mod` 89)) (3 + k `mod` 17))
  | k <- [1 .. n]
  , let prefix = 10 + (k * 7907) `mod` 99991
  ]

-- | The zone of the longest prefix on the sheet. Numbers with an exit code
-- are looked up without it; unknown ones get the default zone.
zoneOf :: [(String, Zone)] -> String -> Zone
zoneOf sheet number = longest (normalise number)
  where
    byPrefix = Map.fromListWith cheaper sheet
    cheaper a b
      | tariff a <= tariff b = a
      | otherwise = b

    longest [] = Zone "default" 50
    longest digits = case Map.lookup digits byPrefix of
      Just z -> z
      Nothing -> longest (init digits)

    normalise ('0' : '0' : rest) = take 8 (filter (/= ' ') rest)
    normalise ('+' : rest) = take 8 (filter (/= ' ') rest)
    normalise digits = take 8 (filter (/= ' ') digits)
