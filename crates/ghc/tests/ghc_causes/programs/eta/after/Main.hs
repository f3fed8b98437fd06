module Main (main) where

import Control.Monad.Trans.Reader (runReaderT)
import Data.IORef
import Step

main :: IO ()
main = do
  cell <- newIORef 0
  runReaderT (run 2000) (Config cell 3)
  readIORef cell >>= print
