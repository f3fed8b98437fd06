module Trade (Trade (..), parseFeed, feedText) where

import qualified Data.ByteString.Char8 as B

data Trade = Trade
  { tradeTime   :: !Int
  , tradePrice  :: !Int
  , tradeVolume :: !Int
  }

parseFeed :: String -> [Trade]
parseFeed = map (parseTrade . B.pack) . lines

parseTrade :: B.ByteString -> Trade
parseTrade line = case mapM number (B.words line) of
  Just [t, p, v] -> Trade t p v
  _              -> error ("bad line: " ++ B.unpack line)
  where
    number w = case B.readInt w of
      Just (x, rest) | B.null rest -> Just x
      _                            -> Nothing

-- | A day of trades as the exchange would send it: time, price, volume.
feedText :: Int -> String
feedText n = unlines (go 0 n 90125 100000)
  where
    go :: Int -> Int -> Int -> Int -> [String]
    go _ 0 _ _ = []
    go t k seed price =
      unwords [show t', show price', show volume] : go t' (k - 1) seed' price'
      where
        seed' = (seed * 1664525 + 1013904223) `mod` 4294967296
        t' = t + seed `div` 1024 `mod` 20
        price' = max 1000 (price + seed `div` 65536 `mod` 201 - 100)
        volume = 1 + seed `div` 4096 `mod` 500
