module Request (Request (..), request) where

data Request = Request
  { status :: !Int
  , size :: !Int
  , millis :: !Int
  }

request :: Int -> Request
request k = Request code (200 + noise `mod` 5000) (noise `mod` 977)
  where
    noise = (k * 48271 + 12345) `mod` 2147483647
    code
      | noise `mod` 41 == 0 = 503
      | noise `mod` 13 == 0 = 404
      | otherwise = 200
