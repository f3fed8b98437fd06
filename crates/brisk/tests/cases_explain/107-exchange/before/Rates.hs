module Rates (Rate (..), Money (..), loadRates, convert) where

import qualified Data.Map.Strict as M

data Rate = Rate
  { code    :: !String
  , perEuro :: !Double
  }

data Money = Money
  { currency :: !String
  , amount   :: !Double
  }

-- | The daily list of rates.
loadRates :: Int -> [Rate]
loadRates n = Rate "EUR" 1 :
  [ Rate [a, b, c] (0.25 + fromIntegral (i * 37 `mod` 400) / 50)
  | (i, (a, b, c)) <- zip [1 .. n] codes ]
  where
    codes = [ (a, b, c) | a <- ['A' .. 'Z'], b <- ['A', 'E' .. 'Z'], c <- ['D' .. 'R'] ]

-- | Convert an amount to another currency; unknown currencies are reported.
convert :: [Rate] -> String -> Money -> Either String Money
convert rates target (Money from x)
  | from == target = Right (Money target x)
  | otherwise = do
      r1 <- rateOf from
      r2 <- rateOf target
      return (Money target (roundCents (x / r1 * r2)))
  where
    table = M.fromListWith max [ (code r, perEuro r) | r <- rates ]
    rateOf c = case M.lookup c table of
      Just r | r > 0     -> Right r
             | otherwise -> Left ("bad rate for " ++ c)
      Nothing            -> Left ("no rate for " ++ c)

roundCents :: Double -> Double
roundCents v = fromIntegral (round (v * 100) :: Int) / 100
