module Mail (Mail (..), inbox) where

data Mail = Mail
  { sender :: String
  , body :: [String]
  }

inbox :: Int -> [Mail]
inbox n = map mail [1 .. n]
  where
    mail i = Mail ("user" ++ show (i `mod` 83)) [vocabulary (i * k) | k <- [1 .. 12]]
    vocabulary k = "word" ++ show (k * k `mod` 1201)
